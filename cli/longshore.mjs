#!/usr/bin/env node
// The one file that any Node may meet: it finds Node 24, which runs TypeScript as it is, and hands over to main.ts.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = fileURLToPath(new URL('main.ts', import.meta.url))
const [major] = process.versions.node.split('.').map(Number)
/** What `npm ci` installs on Linux. */
const ownNode = `${root}node_modules/node-linux-${process.arch}/bin/node`

if (!existsSync(`${root}node_modules`)) {
  fail(`Longshore's packages are not installed. Run this first: npm ci --prefix ${root}`)
} else if (major >= 24) {
  await import('./main.ts')
} else if (existsSync(ownNode)) {
  const child = spawn(ownNode, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both; whoever kills only this process means the child too.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`Node 24 could not be started: ${error.message}`))
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
