import { type Pause, pause } from '../operator/waiting.ts'

/** A command that asks again does so at once. */
export const noPause: Pause = async () => undefined

/** A tenth of what a command waits, for one that waits for a server. */
export const shortPause: Pause = (ms, signal) => pause(ms / 10, signal)
