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
  // The marker only has to be unlikely within a block.
  const sync = createHash('sha256').update(header).update(content).digest().subarray(0, syncBytes)
  const block =
    records.length === 0
      ? []
      : [longType.toBuffer(records.length), bytesType.toBuffer(deflateRawSync(content)), sync]
  return Buffer.concat([magic, header, sync, ...block])
}

/** The records of a file that `avroFile` wrote, in this version or an earlier one: with the schema that the file has. */
export function readAvroFile<T>(file: Buffer): readonly T[] {
  const header = headerType.decode(file, magic.length)
  const { 'avro.schema': schema } = header.value as Readonly<Record<string, Buffer>>
  const at = header.offset + syncBytes
  if (at >= file.length) return []
  const count = longType.decode(file, at)
  const block = bytesType.decode(file, count.offset)
  const content = inflateRawSync(block.value as Buffer)
  const type = avro.Type.forSchema(JSON.parse(String(schema)) as avro.Schema)
  const records: T[] = []
  for (let offset = 0; records.length < (count.value as number); ) {
    const record = type.decode(content, offset)
    records.push(record.value as T)
    offset = record.offset
  }
  return records
}
