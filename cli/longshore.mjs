#!/usr/bin/env node
// Runs on any version of Node: starts the program from TypeScript in a checkout, compiled in the package.
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from './supported-node.mjs'

/** First arguments that start a program other than the command line: the local demonstration, and the CDK app. */
const programs = { start: 'local/start', app: 'bin/longshore' }

const root = fileURLToPath(new URL('..', import.meta.url))
const [first = '', ...rest] = process.argv.slice(2)
const other = Object.hasOwn(programs, first) ? programs[first] : undefined
const program = other ?? 'cli/main'
const isInstalled = root.includes(`${sep}node_modules${sep}`)
const main = join(root, isInstalled ? `compiled/${program}.js` : `${program}.ts`)
const packages = join(root, isInstalled ? '../..' : 'node_modules')
await startProgram(main, other ? rest : process.argv.slice(2), packages)
