import { text } from 'node:stream/consumers'
import { resultLine, runSuites } from '../harness.ts'
import type { Column } from '../places.ts'
import { suitesFor } from '../suites.ts'
import { scriptPlaces } from './places.ts'

const column = JSON.parse(await text(process.stdin)) as Column

await runSuites(suitesFor(column, scriptPlaces(column)), column.grep, (result) => console.log(resultLine(result)))
