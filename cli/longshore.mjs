#!/usr/bin/env node
// Runs on any version of Node: finds Node 24, which runs TypeScript directly, and starts main.ts with it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = fileURLToPath(new URL('main.ts', import.meta.url))
const [major] = process.versions.node.split('.').map(Number)
/** `npm ci` installs it on Linux. */
const ownNode = `${root}node_modules/node-linux-${process.arch}/bin/node`
/** Cache for compiled modules, so that later commands start faster. */
const compileCache = `${root}node_modules/.cache/longshore`

if (!existsSync(`${root}node_modules`)) {
  fail(`The packages are not installed. Run: npm ci --prefix ${root}`)
} else if (major >= 24) {
  module.enableCompileCache(compileCache)
  await import('./main.ts')
} else if (existsSync(ownNode)) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  const child = spawn(ownNode, [main, ...process.argv.slice(2)], { stdio: 'inherit', env })
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
