import { readFileSync } from 'node:fs'

/** What ends a program, with its exit code. */
export const interrupts = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type Interrupt = keyof typeof interrupts

/** Read when the process begins, since npm may end before a program asks for interrupts. */
const startedBy = startersOf(process.ppid)
const checkStartersMs = 500

/**
 * Calls `handle` at the first interrupt. Later ones are ignored: npm forwards a Ctrl-C to a child that has already
 * received it from the terminal. It does not forward SIGHUP, and its shell nothing: the end of either counts as one.
 */
export function onInterrupt(handle: (signal: Interrupt) => void): void {
  let isInterrupted = false
  const interrupt = (signal: Interrupt) => {
    if (isInterrupted) return
    isInterrupted = true
    handle(signal)
  }
  for (const signal of Object.keys(interrupts) as Interrupt[]) process.on(signal, () => interrupt(signal))
  // Without npm, a program may outlive what started it.
  if (process.env['npm_lifecycle_event'] === undefined) return
  setInterval(() => {
    if (startersOf(process.ppid) !== startedBy) interrupt('SIGHUP')
  }, checkStartersMs).unref()
}

/** For programs that leave nothing behind but their threads and child processes. */
export const exitAtInterrupt = () => onInterrupt((signal) => process.exit(interrupts[signal]))

/** The ids of the processes from the parent up to npm; the parent's alone without npm or without /proc, as on macOS. */
function startersOf(parent: number): string {
  const ids: number[] = []
  try {
    for (let id = parent; id > 0; id = parentOf(id)) {
      ids.push(id)
      if (/^npm |\bnp[mx]-cli\.js\0/.test(readFileSync(`/proc/${id}/cmdline`, 'utf8'))) return ids.join(' ')
    }
  } catch {}
  return String(parent)
}

function parentOf(id: number): number {
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
  return Number(parent)
}
