import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeApi } from '../functions/openapi/openapi.ts'
import { resolveConfig, settingsOf } from '../lib/config.ts'

/** What `npm run check -- openapi` writes to docs/openapi.json: the document with the default configuration. */
export function exampleDocument() {
  const upstream = { baseUrl: 'https://shop.example.com' }
  const entities = [{ name: 'CL', schedule: 'rate(1 day)' }]
  return describeApi(settingsOf(resolveConfig({ upstream, entities })))
}

export const exampleFile = new URL('../docs/openapi.json', import.meta.url)

export const rendered = (description: object) => `${JSON.stringify(description, null, 2)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(exampleFile, rendered(exampleDocument()))
