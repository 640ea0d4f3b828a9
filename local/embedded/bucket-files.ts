import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

export interface BucketFiles {
  keys(): string[]
  read(key: string): Buffer
  write(key: string, body: Buffer): void
  remove(key: string): void
}

export function createBucketFiles(folder: string): BucketFiles {
  const fileOf = (key: string) => join(folder, ...key.split('/').map(encodeURIComponent))
  return {
    keys: () =>
      filesIn(folder).map((file) => relative(folder, file).split(sep).map(decodeURIComponent).join('/')),
    read: (key) => readFileSync(fileOf(key)),
    write(key, body) {
      const file = fileOf(key)
      mkdirSync(dirname(file), { recursive: true })
      // A process that is killed must not leave a part of an object.
      writeFileSync(`${file}${partial}`, body)
      renameSync(`${file}${partial}`, file)
    },
    remove: (key) => rmSync(fileOf(key), { force: true }),
  }
}

const partial = '~'

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(partial))
    .map((entry) => join(entry.parentPath, entry.name))
}
