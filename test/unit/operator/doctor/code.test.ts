import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { strToU8, zipSync } from 'fflate'
import { expect, it, onTestFinished, vi } from 'vitest'
import { clientSettings } from '../../../../local/embedded/environment.ts'
import { listen } from '../../../../local/embedded/listen.ts'
import { readFunctionCode } from '../../../../operator/aws/functions.aws.ts'
import { bucketOf, type Files, filesOfArchive, functionsIn } from '../../../../operator/doctor/code.ts'
import { facts, newLines } from './healthy-facts.ts'

const files: Files = new Map([
  ['handler.mjs', Buffer.from('export const handler = () => 1\n'.repeat(50))],
  ['settings.json', Buffer.from('{"name":"Longshore"}')],
])

const archiveOf = (of: Files) => zipSync(Object.fromEntries(of))

it('names each function with a changed byte, and no other', () => {
  const all = Array.from({ length: 20 }, (_, index) => {
    const bytes = Buffer.from(files.get('handler.mjs') ?? '')
    if (index % 2 === 1) bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
    const deployed = filesOfArchive(archiveOf(new Map([...files, ['handler.mjs', bytes]])))
    return { name: `F${index}`, key: `${index}.zip`, isBuilt: isDeepStrictEqual(files, deployed) }
  })
  const lines = newLines(facts({ code: { value: all } }))
  expect(lines.map((line) => /^problem \| drift \| The function (\w+) does not run/.exec(line)?.[1])).toEqual(
    all.filter((_, index) => index % 2 === 1).map(({ name }) => name),
  )
})

it('finds the code of each function next to its template', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-code-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const nested: Files = new Map([...files, ['package/handler.py', Buffer.from('')]])
  mkdirSync(join(folder, 'asset.abc/package'), { recursive: true })
  for (const [name, bytes] of nested) writeFileSync(join(folder, 'asset.abc', name), bytes)
  writeFileSync(join(folder, 'asset.def.zip'), zipSync({ lib: { 'index.js': strToU8('1') } }))
  const uploaded = (path: string, objectKey: string) => ({
    source: { path },
    destinations: { here: { bucketName: 'cdk-assets', objectKey } },
  })
  const assets = [uploaded('asset.abc', 'code/abc.zip'), uploaded('asset.def.zip', 'def.zip')]
  writeFileSync(join(folder, 'Sync.assets.json'), JSON.stringify({ files: assets }))
  const lambda = (Code: object) => ({ Type: 'AWS::Lambda::Function', Properties: { Code } })
  const Resources = {
    Folder: lambda({ S3Key: 'code/abc.zip' }),
    Archive: lambda({ S3Key: 'def.zip' }),
    Elsewhere: lambda({ S3Key: 'code.zip' }),
    Parameter: lambda({ S3Key: { Ref: 'Key' } }),
    Table: { Type: 'AWS::DynamoDB::Table' },
  }
  const named = { stack: 'Sync', bucket: 'cdk-assets' }
  expect(await functionsIn('Sync', JSON.stringify({ Resources }), folder)).toEqual([
    { ...named, logicalId: 'Folder', key: 'code/abc.zip', files: nested },
    { ...named, logicalId: 'Archive', key: 'def.zip', files: new Map([['lib/index.js', Buffer.from('1')]]) },
  ])
})

it('reads the code of a function from the address that Lambda returns', async () => {
  const FunctionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:Worker'
  const served = await listen(
    createServer(({ url, headers }, response) => {
      if (url === '/code') return response.end(archiveOf(files))
      const Location = `http://${headers.host}/${url?.includes('/functions/Worker') ? 'code' : 'gone'}`
      return url === '/gone'
        ? response.writeHead(403).end()
        : response.end(JSON.stringify({ Code: { Location }, Configuration: { FunctionArn } }))
    }),
  )
  onTestFinished(() => served.close())
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', served.endpoint)
  vi.stubEnv('AWS_REGION', clientSettings.region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', clientSettings.credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', clientSettings.credentials.secretAccessKey)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { arn, archive } = await readFunctionCode('Worker')
  expect(filesOfArchive(archive)).toEqual(files)
  expect(bucketOf(['cdk-assets', '{AWS::AccountId}', '{AWS::Region}'].join('-$'), arn)).toBe(
    'cdk-assets-111122223333-eu-west-1',
  )
  await expect(readFunctionCode('Other')).rejects.toThrow('The code of Other was not sent: HTTP 403')
})
