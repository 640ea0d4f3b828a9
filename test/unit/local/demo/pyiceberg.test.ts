import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readWithPyIceberg } from '../../../../local/demo/pyiceberg.ts'

const folder = mkdtempSync(join(tmpdir(), 'longshore-pyiceberg-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Stands in for Python: runs a shell script, which gets the address of the metadata as its third argument. */
function reading(name: string, script: string) {
  const python = join(folder, name)
  writeFileSync(python, `#!/bin/sh\n${script}\n`)
  chmodSync(python, 0o755)
  return readWithPyIceberg(python, 's3://bucket/x.metadata.json', process.env)
}

describe('PyIceberg in the demonstration', () => {
  it('shows the first rows', async () => {
    expect(await reading('prints', 'echo "$3"; echo second')).toEqual({
      kind: 'rows',
      rows: ['s3://bucket/x.metadata.json', 'second'],
    })
  })

  it('is not installed if there is no Python, or no such package', async () => {
    const missing = await readWithPyIceberg(join(folder, 'missing'), 's3://bucket/x', process.env)
    expect(missing).toEqual({ kind: 'not-installed' })
    expect(await reading('lacks', 'exit 3')).toEqual({ kind: 'not-installed' })
  })

  it('names the last line of the error if it cannot read the table', async () => {
    const script = 'echo Traceback >&2; echo "OSError: the file is damaged" >&2; exit 1'
    expect(await reading('fails', script)).toEqual({ kind: 'failed', reason: 'OSError: the file is damaged' })
  })

  it('fails with what Node reports if the program prints nothing', async () => {
    expect(await reading('exits', 'exit 7')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('Command failed'),
    })
  })
})
