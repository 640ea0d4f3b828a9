import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from '../clean-up.ts'
import { endGroup, pathWithOurNode, run, startInBackground } from '../processes.ts'
import { virtualEnvironment } from '../virtual-environment.ts'

/** An AWS emulator on this machine behind TLS. It checks signatures, permissions and resource policies. */
export interface Emulator {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** The folder of the AWS command line. */
  readonly programs: string
  /** Environment variables that point a program at the emulator, as the account's root. */
  readonly environment: Readonly<Record<string, string>>
  /** The last lines of the emulator's log. */
  logTail(): string
}

export const account = '000000000000'
export const region = 'us-east-1'
/** The emulator's root user, for the account owner's actions. */
export const rootCredentials = { accessKeyId: 'test', secretAccessKey: 'test' }

export async function startEmulator(options: { folder: string; cleanUp: CleanUp }): Promise<Emulator> {
  const { folder, cleanUp } = options
  const requirements = new URL('requirements.txt', import.meta.url)
  const programs = await virtualEnvironment({ name: 'e2e', requirements }, cleanUp)
  const certificate = await makeCertificate(folder, cleanUp)
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const trust = { NODE_EXTRA_CA_CERTS: certificate.file, AWS_CA_BUNDLE: certificate.file }
  const logFile = join(folder, 'emulator.log')

  const child = startInBackground(
    {
      file: join(programs, 'python'),
      arguments: [fileURLToPath(new URL('emulator.py', import.meta.url))],
      environment: {
        ...trust,
        // The functions run on the first Node in the PATH.
        PATH: pathWithOurNode(),
        TMPDIR: folder,
        GATEWAY_PORT: String(port),
        BIND_HOST: '127.0.0.1',
        IOT_MTLS_ENABLED: '0',
        AUTH: 'true',
        // Policies that require TLS would refuse everything else.
        USE_SSL: '1',
        MINISTACK_SSL_CERT: certificate.file,
        MINISTACK_SSL_KEY: certificate.keyFile,
        // The functions must not see this machine's own AWS settings.
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
    if (child.exitCode !== null) throw new Error(`The emulator has exited:\n${logTail()}`)
  })
  return {
    url,
    port,
    pid: child.pid ?? 0,
    programs,
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

/** A free port. The emulator cannot choose one itself. */
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
    const response = await fetch(`${url}/_ministack/ready`).catch(() => undefined)
    if (response?.ok) return
    if (Date.now() > deadline) throw new Error('The emulator did not become ready within 60 s.')
    await sleep(100)
  }
}
