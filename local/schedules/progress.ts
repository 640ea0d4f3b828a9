import { existsSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { writeWholeFile } from '../whole-file.ts'

/** How far the schedules of a data folder are, in epoch milliseconds. */
export interface Progress {
  /** When its first `npm start` began. The intervals of a rate are counted from here. */
  readonly startsAt: number
  /** Up to when the schedules have run. */
  readonly ranUntil: number
  /** How far the clock is ahead of the machine's. */
  readonly aheadMs: number
}

const progressSchema = v.object({ startsAt: v.number(), ranUntil: v.number(), aheadMs: v.number() })

/** Of a new folder, or without one, everything begins now. */
export function loadProgress(file: string | undefined, now: number): Progress {
  if (file === undefined || !existsSync(file)) return { startsAt: now, ranUntil: now, aheadMs: 0 }
  return v.parse(progressSchema, JSON.parse(readFileSync(file, 'utf8')))
}

export function saveProgress(file: string, progress: Progress): void {
  writeWholeFile(file, JSON.stringify(progress))
}
