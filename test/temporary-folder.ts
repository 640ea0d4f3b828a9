import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A folder that is removed after the tests of the file or of the `describe` block that calls this. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
