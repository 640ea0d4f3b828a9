import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConfigurationInput } from '../lib/config.ts'
import { localCredentials } from '../local/stand-in/platform.ts'

/** `npm start` in a process of its own. */
export interface NpmStart {
  /** `http://127.0.0.1:PORT`. */
  readonly apiUrl: string
  /** What `LONGSHORE_LOCAL` names. */
  readonly localFile: string
  readonly process: ChildProcess
  /** Everything printed so far. */
  printed(): string
  stop(): Promise<void>
}

const script = fileURLToPath(new URL('../local/start.ts', import.meta.url))
const maxStartMs = 300_000

/** Starts it, waits for the demo to finish, and serves: with the platform at `upstream` or with its own stand-in. */
export async function npmStart(
  configuration: Partial<ConfigurationInput>,
  upstream?: string,
): Promise<NpmStart> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-started-'))
  const localFile = join(folder, 'local.json')
  const config = join(folder, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({ upstream: { baseUrl: 'https://shop.example.com' }, ...configuration }),
  )
  const child = spawn(
    process.execPath,
    [script, '--config', config, ...(upstream ? ['--upstream', upstream] : [])],
    {
      env: {
        ...process.env,
        TMPDIR: folder,
        LONGSHORE_LOCAL: localFile,
        LONGSHORE_APP_KEY: localCredentials.appKey,
        LONGSHORE_APP_TOKEN: localCredentials.appToken,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let printed = ''
  const serving = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('Serving until Ctrl-C')) serving.resolve()
    })
  }
  child.once('close', (code) => serving.reject(new Error(`npm start exited with ${code}:\n${printed}`)))
  const timer = setTimeout(
    () => serving.reject(new Error(`npm start did not serve in time:\n${printed}`)),
    maxStartMs,
  )

  async function stop() {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    await serving.promise
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(timer)
  }
  const apiUrl = /API +(http:\S+)/.exec(printed)?.[1] ?? ''
  return { apiUrl, localFile, process: child, printed: () => printed, stop }
}
