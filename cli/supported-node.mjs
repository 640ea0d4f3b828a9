// Runs on any version of Node: starts a program with a Node that runs it, or says which one is needed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const oldest = [22, 18]
const needed = `Longshore needs Node ${oldest.join('.')} or newer, such as Node 24`

/** Runs a program in this process if its Node is new enough, or else with the Node 24 of a checkout on Linux. */
export async function startProgram(program, args, packages) {
  // Compiled modules are cached, so that later commands start faster.
  const compileCache = join(packages, '.cache/longshore')
  const ownNode = join(packages, `node-linux-${process.arch}/bin/node`)
  if (!existsSync(packages)) {
    fail(`The packages are not installed. Run: npm ci --prefix ${join(packages, '..')}`)
  } else if (isSupported(process.versions.node)) {
    module.enableCompileCache?.(compileCache)
    process.argv = [process.execPath, program, ...args]
    await import(pathToFileURL(program).href)
  } else if (existsSync(ownNode)) {
    startWith(ownNode, [program, ...args], compileCache)
  } else {
    fail(`${needed}; this is ${process.version}. Install it from https://nodejs.org.`)
  }
}

function isSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

function startWith(node, args, compileCache) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  const child = spawn(node, args, { stdio: 'inherit', env })
  // A terminal sends Ctrl-C to both processes. Other signals reach only this one and are forwarded.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${needed}. ${cannotStart(node, error)}`))
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 1 : code
  })
}

/** The file exists: what the system does not find is the loader that it names. */
function cannotStart(node, { code, message }) {
  const reason =
    code === 'ENOENT'
      ? 'it was built for another C library than the one of this system (Alpine Linux has musl, not glibc)'
      : message
  return `This is ${process.version}, and the Node 24 that npm installed (${node}) cannot be started: ${reason}. Install Node from https://nodejs.org or with the package manager of this system.`
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
