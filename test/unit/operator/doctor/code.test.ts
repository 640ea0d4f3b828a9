import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import { clientSettings } from '../../../../local/embedded/environment.ts'
import { listen } from '../../../../local/embedded/listen.ts'
import { readFunctionCode } from '../../../../operator/aws/functions.aws.ts'
import {
  bucketOf,
  type Files,
  filesOfArchive,
  functionsIn,
  isSameCode,
} from '../../../../operator/doctor/code.ts'
import { facts, newLines } from './healthy-facts.ts'

/** A ZIP archive as the CDK and others write it: deflated or stored. */
function archiveOf(files: Files, method: 0 | 8 = 8): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const [name, bytes] of files) {
    const stored = method === 8 ? deflateRawSync(bytes) : bytes
    const common = Buffer.alloc(26)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(stored.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const offset = Buffer.alloc(14)
    offset.writeUInt32LE(at, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), stored])
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\0\0'), common, offset, Buffer.from(name)]))
    locals.push(local)
    at += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.size, 6)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, ...entries, Buffer.from('PK\x05\x06'), end])
}

const files: Files = new Map([
  ['handler.mjs', Buffer.from('export const handler = () => 1\n'.repeat(50))],
  ['settings.json', Buffer.from('{"name":"Longshore"}')],
])

it.each([0, 8] as const)('reads the files of an archive with the method %i', (method) => {
  const archive = archiveOf(files, method)
  expect(isSameCode(files, filesOfArchive(archive))).toBe(true)
  archive.writeUInt8(archive.readUInt8(45) ^ 1, 45)
  expect(() => filesOfArchive(archive)).toThrow(/damaged|invalid|unexpected/)
  expect(() => filesOfArchive(Buffer.from('<html>'))).toThrow('not a ZIP archive')
})

it('names each function with a changed byte, and no other', () => {
  const all = Array.from({ length: 20 }, (_, index) => {
    const bytes = Buffer.from(files.get('handler.mjs') ?? '')
    if (index % 2 === 1) bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
    const deployed = filesOfArchive(archiveOf(new Map([...files, ['handler.mjs', bytes]])))
    return { name: `F${index}`, key: `${index}.zip`, isBuilt: isSameCode(files, deployed) }
  })
  const lines = newLines(facts({ code: { value: all } }))
  expect(lines.map((line) => /^problem \| drift \| The function (\w+) does not run/.exec(line)?.[1])).toEqual(
    all.filter((_, index) => index % 2 === 1).map(({ name }) => name),
  )
})

it('code with a further or a missing file is another one', () => {
  const more = new Map([...files, ['other.mjs', Buffer.from('')]])
  expect([isSameCode(files, more), isSameCode(more, files)]).toEqual([false, false])
})

it('finds the files of each function next to its template', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-code-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'asset.abc'))
  for (const [name, bytes] of files) writeFileSync(join(folder, 'asset.abc', name), bytes)
  const Resources = {
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: { Code: { S3Bucket: { 'Fn::Sub': 'cdk-assets' }, S3Key: 'abc.zip' } },
    },
    Table: { Type: 'AWS::DynamoDB::Table' },
  }
  const [found, ...others] = await functionsIn('Sync', JSON.stringify({ Resources }), folder)
  expect(others).toEqual([])
  expect(found).toMatchObject({ stack: 'Sync', logicalId: 'Worker', bucket: 'cdk-assets', key: 'abc.zip' })
  expect(isSameCode(files, found?.files ?? new Map())).toBe(true)
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
  expect(isSameCode(files, filesOfArchive(archive))).toBe(true)
  expect(bucketOf(['cdk-assets', '{AWS::AccountId}', '{AWS::Region}'].join('-$'), arn)).toBe(
    'cdk-assets-111122223333-eu-west-1',
  )
  await expect(readFunctionCode('Other')).rejects.toThrow('The code of Other was not sent: HTTP 403')
})
