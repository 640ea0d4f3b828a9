import { appendFileSync } from 'node:fs'
import { argv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

/** As people write it: five tries for each request, and an empty page is the end. Usage: script.ts UPSTREAM_URL FILE */
const [, , upstream = '', file = ''] = argv
const headers = { 'X-SVC-API-AppKey': 'local-app-key', 'X-SVC-API-AppToken': 'local-app-token' }
let token: string | null = null
for (;;) {
  const { documents, next } = await readPage(token)
  if (documents.length === 0) break
  token = next ?? token
  appendFileSync(file, documents.map((document) => `${JSON.stringify(document)}\n`).join(''))
}

async function readPage(
  token: string | null,
): Promise<{ documents: readonly unknown[]; next: string | null }> {
  const query = token === null ? '_size=1000' : `_token=${encodeURIComponent(token)}`
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(`${upstream}/api/dataentities/BENCH/scroll?${query}`, { headers })
      if (!response.ok) throw new Error(`Status ${response.status}`)
      const text = await response.text()
      const documents = text.trim() === '' ? [] : (JSON.parse(text) as unknown[])
      return { documents, next: response.headers.get('x-svc-md-token') }
    } catch (error) {
      if (attempt === 5) throw error
      await sleep(500 * 2 ** attempt)
    }
  }
}
