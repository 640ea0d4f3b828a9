import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exportedHtml } from '../../../../../console/server/export/html.ts'

it('loads the style and plain scripts from next to the page', () => {
  const page = readFileSync(new URL('../../../../../console/client/index.html', import.meta.url), 'utf8')
  const html = exportedHtml(page)
  expect(html.match(/(href|src)="[^":]+"/g)).toEqual([
    'href="style.css"',
    'src="data.js"',
    'src="console.js"',
  ])
  expect(html).toContain('<script src="data.js"></script>\n    <script defer src="console.js"></script>')
})
