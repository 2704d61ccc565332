export interface Block {
  readonly kind: string
  readonly line: number
  readonly text: string
  readonly output: string | null
}

export function blocksOf(text: string): readonly Block[]
export function tidy(text: string): string
