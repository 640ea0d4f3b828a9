import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PlatformModel, PlatformModelOptions } from '../stand-in/model.ts'
import { writeWholeFile } from '../whole-file.ts'

type ShopData = Pick<PlatformModelOptions, 'documents' | 'groups' | 'subscriptions'>

const subscriptionsFile = 'subscriptions.json'
const extension = '.ndjson'

/** The data that an earlier `npm start` stored; empty if there is none. */
export function loadShop(folder: string): ShopData {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder).filter((name) => name.endsWith(extension))
  const documents = Object.fromEntries(
    files.map((name) => [basename(name, extension), linesOf(readFileSync(join(folder, name), 'utf8'))]),
  )
  const others = JSON.parse(readFileSync(join(folder, subscriptionsFile), 'utf8')) as Omit<
    ShopData,
    'documents'
  >
  return { documents, ...others }
}

/** Stores what callers and the demo can change. The documents of the stand-in are one line of JSON each. */
export function saveShop(folder: string, { documents, groups, subscriptions }: PlatformModel): void {
  mkdirSync(folder, { recursive: true })
  const others = { groups: Object.fromEntries(groups), subscriptions: Object.fromEntries(subscriptions) }
  writeWholeFile(join(folder, subscriptionsFile), JSON.stringify(others))
  for (const [entity, source] of documents) {
    if (!Array.isArray(source)) continue
    writeWholeFile(
      join(folder, `${entity}${extension}`),
      source.map((bytes) => `${String(bytes)}\n`).join(''),
    )
  }
}

function linesOf(text: string): Buffer[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(line))
}
