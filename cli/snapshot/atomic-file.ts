import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface AtomicFile {
  write(data: Buffer | string): Promise<void>
  /** A file for what is needed on the way; it goes with the end of the writing. */
  beside(): Promise<SideFile>
}

export interface SideFile {
  write(data: Buffer): Promise<void>
  /** What was written, piece by piece. */
  pieces(): AsyncIterable<Buffer>
}

/**
 * Makes a file that appears under its name in one step, when all of it is on the disk. If the writing fails, what was
 * there before stays and nothing else is left.
 */
export async function writeWhole(file: string, write: (out: AtomicFile) => Promise<void>): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const partial = `${file}.${process.pid}.partial`
  const temporary = [partial]
  const handles: FileHandle[] = []
  const openAtomicFile = async (path: string) => {
    const handle = await open(path, 'w+')
    handles.push(handle)
    return handle
  }
  try {
    const handle = await openAtomicFile(partial)
    await write({
      write: async (data) => handle.appendFile(data),
      beside: async () => {
        const path = `${partial}.unread`
        temporary.push(path)
        return sideFile(await openAtomicFile(path))
      },
    })
    await handle.sync()
    await handle.close()
    await rename(partial, file)
  } finally {
    await Promise.all(handles.map((handle) => handle.close().catch(() => {})))
    await Promise.all(temporary.map((path) => rm(path, { force: true })))
  }
}

function sideFile(handle: FileHandle): SideFile {
  const lengths: number[] = []
  return {
    async write(data) {
      await handle.appendFile(data)
      lengths.push(data.length)
    },
    async *pieces() {
      let position = 0
      for (const length of lengths) {
        const { buffer } = await handle.read({ buffer: Buffer.alloc(length), position })
        position += length
        yield buffer
      }
    },
  }
}
