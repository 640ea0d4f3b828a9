import { aheadMs, moveClock } from './clock.ts'

moveClock(aheadMs())
