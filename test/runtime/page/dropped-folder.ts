/** The folder that is dropped on this page. */
export function droppedFolder(): Promise<FileSystemDirectoryHandle> {
  return dropped
}

const dropped = new Promise<FileSystemDirectoryHandle>((resolve, reject) => {
  if (typeof document === 'undefined') return
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    const [item] = event.dataTransfer?.items ?? []
    handleOf(item).then(resolve, reject)
  })
})
dropped.catch(() => undefined)

/** What the types of the DOM leave out. */
interface Dropped {
  getAsFileSystemHandle(): Promise<FileSystemDirectoryHandle | null>
}

async function handleOf(item: DataTransferItem | undefined): Promise<FileSystemDirectoryHandle> {
  const handle = await (item as Partial<Dropped> | undefined)?.getAsFileSystemHandle?.()
  if (!handle) throw new Error('what was dropped is no folder')
  return handle
}
