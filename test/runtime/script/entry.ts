import { resultLine, runSuites } from '../harness.ts'
import type { Column } from '../places.ts'
import { suitesFor } from '../suites.ts'
import { scriptPlaces } from './places.ts'

// Node, Deno and Bun have their arguments in one way or the other.
const { Deno, process } = globalThis as { Deno?: { args: string[] }; process?: { argv: string[] } }
const column = JSON.parse(Deno?.args[0] ?? process?.argv[2] ?? '') as Column

await runSuites(suitesFor(column, scriptPlaces(column.folder)), column.grep, (result) => console.log(resultLine(result)))
