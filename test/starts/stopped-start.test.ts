import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'
import { openDataFolder } from '../../local/data-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const folder = temporaryFolder()

/** Some shells replace themselves with the last command of a script, and others wait for it. */
function waitingShell(): string {
  const file = join(folder, 'waiting-shell')
  writeFileSync(file, '#!/bin/sh\nsh "$@"\nexit $?\n', { mode: 0o700 })
  return file
}

interface Running {
  readonly pid: number
  readonly parent: number
  readonly line: string
}

/** The processes of a group that have not ended. */
async function runningIn(group: number): Promise<Running[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=,pid=,ppid=,stat=,args='], {
    maxBuffer: 1 << 24,
  })
  const rows = stdout.split('\n').map((row) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([A-Z])\S*\s+(.*)$/.exec(row))
  return rows
    .filter((row) => Number(row?.[1]) === group && row?.[4] !== 'Z')
    .map((row) => ({ pid: Number(row?.[2]), parent: Number(row?.[3]), line: row?.[5] ?? '' }))
}

it.each([
  ['npm receives SIGTERM, and its shell forwards no signal', 'SIGTERM', 'npm'],
  ['npm receives SIGHUP', 'SIGHUP', 'npm'],
  ['Node receives SIGHUP', 'SIGHUP', 'node'],
] as const)(
  'npm start ends, with everything that it started, and keeps its state if %s',
  async (_, signal, receiver) => {
    const data = join(folder, `data-${receiver}-${signal}`)
    const shell = signal === 'SIGTERM' ? [`--script-shell=${waitingShell()}`] : []
    const npm = spawn('npm', ['start', ...shell, '--', '--port', '0', '--data', data], {
      cwd: root,
      env: { ...process.env, TMPDIR: folder, LONGSHORE_LOCAL: join(folder, 'local.json') },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const { pid: group = 0 } = npm
    let output = ''
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += String(chunk)
      })
    }
    try {
      await vi.waitFor(() => expect(output).toMatch(/API +http:/), 50_000)
      const url = /API +(http:\S+)/.exec(output)?.[1] ?? ''
      expect((await fetch(`${url}/syncs`)).status).toBe(200)
      const node = (await runningIn(group)).find(({ line }) => line.includes(' scripts/built.ts '))
      process.kill(receiver === 'npm' ? group : (node?.pid ?? 0), signal)
      await vi.waitFor(async () => expect(await runningIn(group)).toEqual([]), {
        timeout: 20_000,
        interval: 200,
      })
      await expect(fetch(url)).rejects.toThrow('fetch failed')
      const kept = openDataFolder(data)
      expect(kept.hasState).toBe(true)
      kept.release()
    } finally {
      if ((await runningIn(group)).length > 0) process.kill(-group, 'SIGKILL')
    }
  },
)
