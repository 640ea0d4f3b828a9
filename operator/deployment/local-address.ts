import { join, resolve } from 'node:path'
import { projectFolder } from '../../lib/project.ts'

export const localVariable = 'LONGSHORE_LOCAL'

/** The file of `npm start` in this project. */
export const defaultInstancePath = join(projectFolder, '.longshore/local.json')

/** Values that turn local mode off or on without naming a place. */
const off = ['', '0', 'false']
const on = ['1', 'true']

/** Whether the variable selects local mode for every command. */
export const isLocalByDefault = (value: string | undefined): boolean =>
  value !== undefined && !off.includes(value)

/** Reads the value of `LONGSHORE_LOCAL`, 1 or a path: the file that a running `npm start` wrote. */
export const readInstancePath = (value = ''): string =>
  off.includes(value) || on.includes(value) ? defaultInstancePath : resolve(value)
