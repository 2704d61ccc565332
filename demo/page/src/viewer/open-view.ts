import { editableText } from './editable-text.ts'
import { fileKindOf, imageTypeOf } from './file-kind.ts'
import type { FileView, FileViewOptions } from './file-view.ts'
import { imageView } from './image-view.ts'
import { partView } from './part-view.ts'
import { EDITABLE_SIZE, textEditor } from './text-editor.ts'

/** The view that fits a file: an image as one, text to edit, large text and anything else in parts. */
export async function openView(options: FileViewOptions): Promise<FileView> {
  const { fs, path } = options
  const { size } = await fs.stat(path)
  const imageType = imageTypeOf(path)
  if (imageType !== null) return imageView(options, imageType)
  if (size <= EDITABLE_SIZE) {
    const text = editableText(await fs.read(path))
    if (text !== null) return textEditor(options)
  }
  return partView(options, fileKindOf(path, await fs.read(path, 0, 64 * 1024)) === 'binary' ? 'hex' : 'text')
}
