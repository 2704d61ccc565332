/** True where the program may do everything with every file. False, too, where it isn't allowed to ask (Deno without --allow-sys). */
export function isSuperuser(): boolean {
  known ??= ask()
  return known
}

let known: boolean | undefined

function ask(): boolean {
  try {
    return process.getuid?.() === 0
  } catch {
    return false
  }
}
