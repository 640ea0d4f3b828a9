#!/usr/bin/env node
// Runs on any version of Node: finds Node 24 and starts the program with it, from TypeScript in a checkout, compiled in the package.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** First arguments that start a program other than the command line: the local demonstration, and the CDK app. */
const programs = { start: 'local/start', app: 'bin/longshore' }

const root = fileURLToPath(new URL('..', import.meta.url))
const [first = '', ...rest] = process.argv.slice(2)
const other = Object.hasOwn(programs, first) ? programs[first] : undefined
const program = other ?? 'cli/main'
const args = other ? rest : process.argv.slice(2)
const isInstalled = root.includes(`${sep}node_modules${sep}`)
const main = join(root, isInstalled ? `compiled/${program}.js` : `${program}.ts`)
const packages = join(root, isInstalled ? '../..' : 'node_modules')
const [major] = process.versions.node.split('.').map(Number)
/** npm installs it with the packages on Linux. */
const ownNode = join(packages, `node-linux-${process.arch}/bin/node`)
/** Cache for compiled modules, so that later commands start faster. */
const compileCache = join(packages, '.cache/longshore')

if (!existsSync(packages)) {
  fail(`The packages are not installed. Run: npm ci --prefix ${root}`)
} else if (major >= 24) {
  module.enableCompileCache(compileCache)
  process.argv = [process.execPath, main, ...args]
  await import(pathToFileURL(main).href)
} else if (existsSync(ownNode)) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  const child = spawn(ownNode, [main, ...args], { stdio: 'inherit', env })
  // A terminal sends Ctrl-C to both processes. Other signals reach only this one and are forwarded.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`Cannot start Node 24: ${error.message}`))
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 1 : code
  })
} else {
  fail(`Longshore needs Node 24 or newer; this is ${process.version}. Install it from https://nodejs.org.`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
