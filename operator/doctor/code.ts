import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
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

/** What the CDK uploads for a stack. */
interface Asset {
  readonly source: { readonly path: string }
  readonly destinations: Record<string, { readonly bucketName: string; readonly objectKey: string }>
}

/** A name in a template, of the account and region of an ARN. */
export function bucketOf(name: string, arn: string): string {
  const [, , , region = '', account = ''] = arn.split(':')
  return name.replace(/\$\{AWS::AccountId\}/, account).replace(/\$\{AWS::Region\}/, region)
}

/** The functions of a template whose code the CDK has put next to it. */
export async function functionsIn(stack: string, template: string, folder: string): Promise<FunctionCode[]> {
  const { Resources = {} } = JSON.parse(template) as {
    readonly Resources?: Record<string, { Type?: string; Properties?: { Code?: { S3Key?: unknown } } }>
  }
  const keys = Object.entries(Resources).flatMap(([logicalId, { Type, Properties }]) => {
    const key = Properties?.Code?.S3Key
    return Type === 'AWS::Lambda::Function' && typeof key === 'string' ? [{ stack, logicalId, key }] : []
  })
  if (keys.length === 0) return []
  const listed = await readFile(join(folder, `${stack}.assets.json`), 'utf8')
  const { files } = JSON.parse(listed) as { readonly files: Record<string, Asset> }
  const assets = Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map((to) => ({ ...source, ...to })),
  )
  const functions = keys.map(async (named) => {
    const asset = assets.find(({ objectKey }) => objectKey === named.key)
    if (!asset) return []
    return [{ ...named, bucket: asset.bucketName, files: await filesOf(join(folder, asset.path)) }]
  })
  return (await Promise.all(functions)).flat()
}

/** The files of an asset: a folder, or an archive. */
async function filesOf(asset: string): Promise<Files> {
  if ((await stat(asset)).isFile()) return filesOfArchive(await readFile(asset))
  const files = (await readdir(asset, { recursive: true })).map(async (name) => {
    const file = join(asset, name)
    return (await stat(file)).isFile() ? [[name, await readFile(file)] as const] : []
  })
  return new Map((await Promise.all(files)).flat())
}

/** The files of a ZIP archive. Throws if it is none. */
export function filesOfArchive(archive: Uint8Array): Files {
  const files = unzipSync(archive, { filter: ({ name }) => !name.endsWith('/') })
  return new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]))
}

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
