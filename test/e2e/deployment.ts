import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConfigurationInput } from '../../lib/config.ts'
import type { CleanUp } from './clean-up.ts'
import { account, type Emulator, region } from './emulator.ts'
import { pathWithOurNode, run } from './processes.ts'
import { entities } from './upstream.ts'

/** The stacks as they stand in the emulated account. */
export interface Deployment {
  readonly apiUrl: string
  readonly bucket: string
  readonly table: string
  readonly secretArn: string
  readonly stateMachineArn: string
  /** Deploys once more and returns what the CDK said. */
  deployAgain(): Promise<string>
}

const cdk = fileURLToPath(new URL('../../node_modules/.bin/cdk', import.meta.url))

export async function deployLongshore(options: {
  emulator: Emulator
  folder: string
  cleanUp: CleanUp
  upstreamUrl: string
}): Promise<Deployment> {
  const { emulator, folder, cleanUp, upstreamUrl } = options
  const configuration: ConfigurationInput = { upstream: { baseUrl: upstreamUrl }, stepSeconds: 10, entities }
  const configurationFile = join(folder, 'config.json')
  writeFileSync(configurationFile, JSON.stringify(configuration))
  const context = ['-c', `config=${configurationFile}`, '-o', join(folder, 'cdk.out')]
  const outputsFile = join(folder, 'outputs.json')
  const environment = {
    ...emulator.environment,
    PATH: pathWithOurNode(),
    TMPDIR: folder,
    CI: 'true',
    CDK_DISABLE_VERSION_CHECK: '1',
  }
  const callCdk = (...words: string[]) =>
    run({ file: cdk, arguments: [...words, ...context], environment }, cleanUp)
  const deploy = () =>
    callCdk('deploy', '--all', '--require-approval', 'never', '--outputs-file', outputsFile)

  await timed('cdk bootstrap', () => callCdk('bootstrap', `aws://${account}/${region}`))
  await timed('cdk deploy', deploy)
  const output = readOutputs(outputsFile)
  return {
    apiUrl: output('LongshoreApi', 'ApiUrl'),
    bucket: output('LongshoreStorage', 'SnapshotBucketName'),
    table: output('LongshoreStorage', 'StateTableName'),
    secretArn: output('LongshoreStorage', 'CredentialsSecretArn'),
    stateMachineArn: output('LongshoreSync', 'SyncStateMachineArn'),
    deployAgain: deploy,
  }
}

function readOutputs(file: string): (stack: string, name: string) => string {
  const outputs = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  return (stack, name) => {
    const value = outputs[stack]?.[name]
    if (!value) throw new Error(`The stack ${stack} has no output ${name}.`)
    return value
  }
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = Date.now()
  await work()
  console.log(`      ${what}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}
