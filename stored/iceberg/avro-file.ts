import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import avro from 'avsc'

/** A schema as the file's header has it. Iceberg finds the fields by their `field-id`, which a parsed type would lose. */
export interface RecordSchema {
  readonly type: 'record'
  readonly name: string
  readonly fields: readonly object[]
}

const magic = Buffer.from('Obj\u0001')
const syncBytes = 16
const headerType = avro.Type.forSchema({ type: 'map', values: 'bytes' })
const longType = avro.Type.forSchema('long')
const bytesType = avro.Type.forSchema('bytes')

/**
 * An Avro object container file (Avro 1.11 specification, "Object Container Files") with at most one block. The encoder of
 * avsc writes nothing at all without records, and a table without rows needs the header.
 */
export function avroFile(
  schema: RecordSchema,
  records: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Buffer {
  const type = avro.Type.forSchema(schema as avro.Schema)
  const content = Buffer.concat(records.map((record) => type.toBuffer(record)))
  const entries = { ...metadata, 'avro.schema': JSON.stringify(schema), 'avro.codec': 'deflate' }
  const header = headerType.toBuffer(
    Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, Buffer.from(text)])),
  )
  const sync = markerOf(header, content)
  const block =
    records.length === 0
      ? []
      : [longType.toBuffer(records.length), bytesType.toBuffer(deflateRawSync(content)), sync]
  return Buffer.concat([magic, header, sync, ...block])
}

/** The marker only has to be unlikely within a block. A hash of the file shows whether it is intact. */
const markerOf = (header: Uint8Array, content: Uint8Array) =>
  createHash('sha256').update(header).update(content).digest().subarray(0, syncBytes)

/** Whether a file is as `avroFile` wrote it. */
export function isIntactAvro(file: Buffer): boolean {
  try {
    const { headerEnd, content, end } = partsOf(file)
    const sync = markerOf(file.subarray(magic.length, headerEnd), content)
    const last = end === undefined ? [] : [sync]
    const rest = Buffer.concat([
      file.subarray(headerEnd, headerEnd + syncBytes),
      file.subarray(end ?? file.length),
    ])
    return file.indexOf(magic) === 0 && rest.equals(Buffer.concat([sync, ...last]))
  } catch {
    return false
  }
}

/** The records of a file that `avroFile` wrote, in this version or an earlier one: with the schema that the file has. */
export function readAvroFile<T>(file: Buffer): readonly T[] {
  const { schema, count, content } = partsOf(file)
  const type = avro.Type.forSchema(JSON.parse(String(schema)) as avro.Schema)
  const records: T[] = []
  for (let offset = 0; records.length < count; ) {
    const record = type.decode(content, offset)
    records.push(record.value as T)
    offset = record.offset
  }
  return records
}

/** The parts of a file. Without records there is no block, which ends at `end`. */
function partsOf(file: Buffer) {
  const { value, offset: headerEnd } = headerType.decode(file, magic.length)
  const { 'avro.schema': schema } = value as Readonly<Record<string, Buffer>>
  const at = headerEnd + syncBytes
  if (at >= file.length) return { headerEnd, schema, count: 0, content: Buffer.alloc(0), end: undefined }
  const count = longType.decode(file, at)
  const block = bytesType.decode(file, count.offset)
  const content = inflateRawSync(block.value as Buffer)
  return { headerEnd, schema, count: count.value as number, content, end: block.offset }
}
