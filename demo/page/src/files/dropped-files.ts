/** A file that comes in, and where below the target folder it goes (`a.txt`, `folder/b.txt`). */
export interface IncomingFile {
  readonly path: string
  readonly file: File
}

/** What is brought in: files, and folders that may be empty. */
export interface Incoming {
  readonly files: readonly IncomingFile[]
  readonly folders: readonly string[]
}

/** What was dropped. Call it in the handler itself: the browser empties the transfer afterwards. */
export async function droppedFiles(transfer: DataTransfer): Promise<Incoming> {
  const entries: FileSystemEntry[] = []
  const loose: File[] = []
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry()
    const file = entry === null ? item.getAsFile() : null
    if (entry !== null) entries.push(entry)
    else if (file !== null) loose.push(file)
  }
  const files: IncomingFile[] = loose.map((file) => ({ path: file.name, file }))
  const folders: string[] = []
  for (const entry of entries) await collect(entry, '', files, folders)
  return { files, folders }
}

/** What was chosen in a dialog of the browser; of a folder, the names below it. */
export function chosenFiles(list: FileList): Incoming {
  return { files: Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file })), folders: [] }
}

/** True where something that is dragged holds files of the machine. */
export function holdsFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') ?? false
}

async function collect(entry: FileSystemEntry, below: string, files: IncomingFile[], folders: string[]): Promise<void> {
  const path = `${below}${entry.name}`
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    files.push({ path, file })
  } else if (isFolder(entry)) {
    folders.push(path)
    for (const one of await entriesOf(entry)) await collect(one, `${path}/`, files, folders)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** A reader gives its entries in portions, an empty one at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}
