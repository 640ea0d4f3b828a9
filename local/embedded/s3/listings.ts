import type { Bucket } from './bucket.ts'
import type { Version } from './journal.ts'
import { type Entry, type Page, pageOf, type Wanted } from './listing.ts'
import { S3Error } from './s3-error.ts'
import { type Xml, xmlDocument } from './xml.ts'

/** S3's limit of a page. */
const maxPageKeys = 1000

export function listObjects(bucket: Bucket, parameters: URLSearchParams): string {
  const token = parameters.get('continuation-token')
  const key = token === null ? parameters.get('start-after') : Buffer.from(token, 'base64url').toString()
  const current = bucket.versions.filter(
    (version) => version.kind === 'object' && bucket.latest(version.key) === version,
  )
  const page = pageOf(current, wantedOf(parameters, { key: key ?? '', versionId: '' }))
  return xmlDocument('ListBucketResult', {
    ...commonElements(parameters, page),
    KeyCount: page.entries.length + page.commonPrefixes.length,
    NextContinuationToken: page.next && Buffer.from(page.next.key).toString('base64url'),
    Contents: page.entries.map((version) => elementsOfVersion(version, parameters)),
  })
}

export function listObjectVersions(bucket: Bucket, parameters: URLSearchParams): string {
  const after = {
    key: parameters.get('key-marker') ?? '',
    versionId: parameters.get('version-id-marker') ?? '',
  }
  const page = pageOf(bucket.versions, wantedOf(parameters, after))
  const listed = (kind: Version['kind']) =>
    page.entries
      .filter((version) => version.kind === kind)
      .map((version) => ({
        ...elementsOfVersion(version, parameters),
        VersionId: version.versionId,
        IsLatest: bucket.latest(version.key) === version,
      }))
  return xmlDocument('ListVersionsResult', {
    ...commonElements(parameters, page),
    NextKeyMarker: page.next && encoded(page.next.key, parameters),
    NextVersionIdMarker: page.next?.versionId,
    Version: listed('object'),
    DeleteMarker: listed('delete-marker'),
  })
}

function wantedOf(parameters: URLSearchParams, after: Entry): Wanted {
  const maxKeys = Number(parameters.get('max-keys') ?? maxPageKeys)
  if (!Number.isInteger(maxKeys) || maxKeys < 0)
    throw new S3Error('InvalidArgument', 'max-keys must be a whole number of at least 0.')
  const [prefix = '', delimiter = ''] = ['prefix', 'delimiter'].map((name) => parameters.get(name) ?? '')
  return { prefix, delimiter, after, maxKeys: Math.min(maxKeys, maxPageKeys) }
}

function commonElements(parameters: URLSearchParams, page: Page<Entry>) {
  return {
    Prefix: encoded(parameters.get('prefix') ?? '', parameters),
    EncodingType: parameters.get('encoding-type') ?? undefined,
    IsTruncated: page.next !== undefined,
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encoded(prefix, parameters) })),
  }
}

function elementsOfVersion(version: Version, parameters: URLSearchParams) {
  return {
    Key: encoded(version.key, parameters),
    LastModified: new Date(version.writtenAt).toISOString(),
    ...(version.kind === 'object' && {
      ETag: version.etag,
      Size: version.sizeBytes,
      StorageClass: 'STANDARD',
    }),
  } satisfies Xml
}

const encoded = (text: string, parameters: URLSearchParams) =>
  parameters.get('encoding-type') === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : text
