import { fsync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { CommandError, writeError } from '../errors.ts'

export interface AtomicFile {
  write(data: Buffer | string): Promise<void>
  /** A temporary file that is removed when the writing ends. */
  temporaryFile(): Promise<TemporaryFile>
}

export interface TemporaryFile {
  write(chunk: Buffer): Promise<void>
  /** The chunks in the order in which they were written. */
  chunks(): AsyncIterable<Buffer>
}

/**
 * Writes a file that appears under its name in one step, after all of it is on disk. On failure an existing file stays
 * unchanged and nothing else remains. Throws `CommandError` if the system refuses to write.
 */
export async function writeAtomically<T>(file: string, write: (out: AtomicFile) => Promise<T>): Promise<T> {
  await refuseDevice(file)
  const partial = `${file}.${process.pid}.partial`
  const created: { readonly path: string; readonly handle: FileHandle }[] = []
  const create = async (path: string) => {
    const handle = await open(path, 'w+')
    created.push({ path, handle })
    return handle
  }
  try {
    await mkdir(dirname(file), { recursive: true })
    const handle = await create(partial)
    const result = await write({
      write: async (data) => handle.appendFile(data),
      temporaryFile: async () => temporaryFile(await create(`${partial}.chunks`)),
    })
    await onDisk(handle)
    await handle.close()
    await rename(partial, file)
    return result
  } catch (error) {
    throw writeError(file, error)
  } finally {
    await Promise.all(created.map(({ handle }) => handle.close().catch(() => {})))
    await Promise.all(created.map(({ path }) => rm(path, { force: true })))
  }
}

/** The file would take its place for every program of the machine. */
async function refuseDevice(file: string): Promise<void> {
  const existing = await stat(file).catch(() => undefined)
  if (!existing || existing.isFile() || existing.isDirectory()) return
  throw new CommandError(`Cannot write ${file}: it is a device or a pipe.`, { fix: 'name a file' })
}

/** `handle.sync()`, which Yarn's Plug'n'Play does not implement. */
const onDisk = ({ fd }: FileHandle) => promisify(fsync)(fd)

function temporaryFile(handle: FileHandle): TemporaryFile {
  const lengths: number[] = []
  return {
    async write(chunk) {
      await handle.appendFile(chunk)
      lengths.push(chunk.length)
    },
    async *chunks() {
      let position = 0
      for (const length of lengths) {
        const { buffer } = await handle.read({ buffer: Buffer.alloc(length), position })
        position += length
        yield buffer
      }
    },
  }
}
