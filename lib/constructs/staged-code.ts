import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AssetCode } from 'aws-cdk-lib/aws-lambda'
import type { FunctionName } from '../../functions/http/lambda-functions.ts'
import { settingsFileName } from '../../functions/runtime/environment.ts'
import type { Settings } from '../../functions/runtime/settings.ts'
import { isToken } from '../../functions/runtime/settings-schema/schema-parts.ts'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** The code of a function to deploy: the built files without source maps, and the settings file. */
export class StagedCode extends AssetCode {
  private readonly folder: string

  constructor(name: FunctionName, settings: Settings) {
    const folder = stage(name, settings)
    super(folder)
    this.folder = folder
  }

  /** Call this once a function has been created from the code: CDK has its own copy then. */
  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}

function stage(name: FunctionName, settings: Settings): string {
  const built = join(dist, name)
  if (!existsSync(built)) throw new Error(`dist/${name} does not exist. Run npm run build.`)
  const folder = mkdtempSync(join(tmpdir(), 'longshore-'))
  // One by one: `cpSync` does not find files in the archives of Yarn's Plug'n'Play.
  for (const file of readdirSync(built))
    if (!file.endsWith('.map')) writeFileSync(join(folder, file), readFileSync(join(built, file)))
  writeFileSync(join(folder, settingsFileName), JSON.stringify(settings, shown))
  makeReadable(folder)
  return folder
}

/** Functions only describe what may be a token of the CDK, whose text changes with each synthesis. */
const shown = (_: string, value: unknown) =>
  typeof value === 'string' && isToken(value) ? '(set at deployment)' : value

/** CDK packages files with their modes, and Lambda cannot read files that a umask of 027 or 077 has restricted. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}
