import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from './clean-up.ts'
import { endGroup, pathWithOurNode, run, startInBackground } from './processes.ts'

/** AWS, emulated on this machine behind TLS; it checks signatures, permissions and resource policies. */
export interface Emulator {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** What a program needs in its environment to take the emulator for AWS, as the account's root. */
  readonly environment: Readonly<Record<string, string>>
  /** The last lines of the emulator's log. */
  logTail(): string
}

export const account = '000000000000'
export const region = 'us-east-1'
/** The emulator's root: for what the owner of the account does. */
export const rootCredentials = { accessKeyId: 'test', secretAccessKey: 'test' }

/** Where no linter looks and `npm ci` cleans up. */
const virtualEnvironment = fileURLToPath(new URL('../../node_modules/.cache/e2e-venv', import.meta.url))

export async function startEmulator(options: { folder: string; cleanUp: CleanUp }): Promise<Emulator> {
  const { folder, cleanUp } = options
  const program = await installEmulator(cleanUp)
  const certificate = await makeCertificate(folder, cleanUp)
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const trust = { NODE_EXTRA_CA_CERTS: certificate.file, AWS_CA_BUNDLE: certificate.file }
  const logFile = join(folder, 'emulator.log')

  const child = startInBackground(
    {
      file: program,
      arguments: [],
      environment: {
        ...trust,
        // The workers of the functions run on the first Node of the path.
        PATH: pathWithOurNode(),
        TMPDIR: folder,
        GATEWAY_PORT: String(port),
        BIND_HOST: '127.0.0.1',
        IOT_MTLS_ENABLED: '0',
        AUTH: 'true',
        // Policies that demand TLS would refuse everything else.
        USE_SSL: '1',
        MINISTACK_SSL_CERT: certificate.file,
        MINISTACK_SSL_KEY: certificate.keyFile,
        // Whatever this machine is set up for, the functions must not see it.
        AWS_ENDPOINT_URL: url,
        AWS_CONFIG_FILE: join(folder, 'none'),
        AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
      },
    },
    logFile,
  )
  cleanUp.add(() => endGroup(child))
  const logTail = () => readFileSync(logFile, 'utf8').trim().split('\n').slice(-30).join('\n')

  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(certificate.file, 'utf8')])
  await ready(url, () => {
    if (child.exitCode !== null) throw new Error(`The emulator has ended:\n${logTail()}`)
  })
  return {
    url,
    port,
    pid: child.pid ?? 0,
    environment: {
      ...trust,
      AWS_ENDPOINT_URL: url,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_ACCESS_KEY_ID: rootCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: rootCredentials.secretAccessKey,
      AWS_SESSION_TOKEN: '',
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: join(folder, 'none'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    },
    logTail,
  }
}

/** Installs what requirements.txt pins, once for each state of that file. Returns the emulator's program. */
async function installEmulator(cleanUp: CleanUp): Promise<string> {
  const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))
  const mark = join(virtualEnvironment, 'installed')
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex')
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    rmSync(virtualEnvironment, { recursive: true, force: true })
    await run({ file: 'python3', arguments: ['-m', 'venv', virtualEnvironment] }, cleanUp)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input']
    await run(
      { file: join(virtualEnvironment, 'bin', 'python'), arguments: [...pip, '-r', requirements] },
      cleanUp,
    )
    writeFileSync(mark, wanted)
  }
  return join(virtualEnvironment, 'bin', 'ministack')
}

async function makeCertificate(folder: string, cleanUp: CleanUp): Promise<{ file: string; keyFile: string }> {
  const [file, keyFile] = [join(folder, 'emulator.crt'), join(folder, 'emulator.key')]
  const names = 'subjectAltName=DNS:localhost,DNS:*.execute-api.localhost,IP:127.0.0.1'
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', file, '-days', '2']
  await run(
    { file: 'openssl', arguments: ['req', '-x509', ...made, '-subj', '/CN=localhost', '-addext', names] },
    cleanUp,
  )
  return { file, keyFile }
}

/** A port that nobody has now. The emulator cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

async function ready(url: string, stillRuns: () => void): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    stillRuns()
    const answer = await fetch(`${url}/_ministack/ready`).catch(() => undefined)
    if (answer?.ok) return
    if (Date.now() > deadline) throw new Error('The emulator did not become ready within 60 s.')
    await sleep(100)
  }
}
