import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { type Checked, ok, problem } from './finding.ts'

/** Bytes by file name. */
export type Files = ReadonlyMap<string, Buffer>

/** The code that a template deploys for a function. */
export interface FunctionCode {
  readonly stack: string
  readonly logicalId: string
  /** The CDK's bucket, as the template names it, and the object in it. */
  readonly bucket: string
  readonly key: string
  readonly files: Files
}

export interface CodeFact {
  readonly name: string
  readonly bucket: string
  readonly key: string
  readonly isBuilt: boolean
}

interface TemplateCode {
  readonly S3Bucket?: string | { readonly 'Fn::Sub'?: string }
  readonly S3Key?: string
}

/** A name in a template, of the account and region of an ARN. */
export function bucketOf(name: string, arn: string): string {
  const [, , , region = '', account = ''] = arn.split(':')
  return name.replace(/\$\{AWS::AccountId\}/, account).replace(/\$\{AWS::Region\}/, region)
}

/** The functions of a template, with the files that the CDK has put next to it. */
export async function functionsIn(stack: string, template: string, folder: string): Promise<FunctionCode[]> {
  const { Resources = {} } = JSON.parse(template) as {
    readonly Resources?: Record<string, { Type?: string; Properties?: { Code?: TemplateCode } }>
  }
  const functions = Object.entries(Resources).flatMap(([logicalId, { Type, Properties }]) => {
    const { S3Key: key, S3Bucket: place } = Properties?.Code ?? {}
    const bucket = typeof place === 'string' ? place : (place?.['Fn::Sub'] ?? '')
    return Type === 'AWS::Lambda::Function' && key !== undefined ? [{ logicalId, bucket, key }] : []
  })
  return Promise.all(
    functions.map(async ({ key, ...named }) => {
      const asset = join(folder, `asset.${key.replace('.zip', '')}`)
      const names = await readdir(asset)
      const files = names.map(async (name) => [name, await readFile(join(asset, name))] as const)
      return { ...named, stack, key, files: new Map(await Promise.all(files)) }
    }),
  )
}

/** The files of a ZIP archive (APPNOTE.TXT, section 4.3.12). Throws if one is damaged. */
export function filesOfArchive(archive: Buffer): Files {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end === -1) throw new Error('The code is not a ZIP archive.')
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let rest = archive.readUInt16LE(end + 10); rest > 0; rest--) {
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, nameEnd)
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const stored = archive.subarray(start, start + archive.readUInt32LE(at + 20))
    const bytes = archive.readUInt16LE(at + 10) === 0 ? stored : inflateRawSync(stored)
    if (crc32(bytes) !== archive.readUInt32LE(at + 16)) throw new Error(`${name} is damaged.`)
    if (!name.endsWith('/')) files.set(name, bytes)
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}

export const isSameCode = (one: Files, other: Files): boolean =>
  one.size === other.size && [...one].every(([name, bytes]) => other.get(name)?.equals(bytes))

/** Only what the template has deployed: what differs there is drift already. */
export function codeChecks(facts: readonly CodeFact[]): Checked[] {
  const changed = facts.filter(({ isBuilt }) => !isBuilt)
  if (changed.length === 0)
    return facts.length > 0 ? [ok('code', 'Each function runs the code that this checkout builds.')] : []
  return changed.map(({ name, bucket, key }) =>
    problem('drift', {
      evidence: `The function ${name} does not run the code that this checkout builds, although its template is deployed: somebody has replaced the code.`,
      action: `Find out in CloudTrail who called UpdateFunctionCode, then restore the code: aws lambda update-function-code --function-name ${name} --s3-bucket ${bucket} --s3-key ${key}`,
    }),
  )
}
