// How many bytes of a file of DuckDB each column takes.

const BLOCK_BYTES = 256 * 1024;

const rowsOf = async (connection, sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();

/** Size of the file, and of its blocks that are in use. */
export async function fileSizes(connection) {
  const [size] = await rowsOf(
    connection,
    'SELECT block_size, total_blocks, used_blocks FROM pragma_database_size()',
  );
  const [blockSize, total, used] = [size.block_size, size.total_blocks, size.used_blocks].map(Number);
  return { file: blockSize * total, used: blockSize * used };
}

/** The engine tells where each segment of a column starts; it ends where the next one in its block starts. */
export async function columnSizes(connection) {
  const tables = await rowsOf(connection, 'SELECT table_name FROM duckdb_tables() WHERE NOT temporary');
  const segments = [];
  for (const { table_name: name } of tables) {
    const rows = await rowsOf(
      connection,
      `SELECT column_name, compression, block_id, block_offset, len(additional_block_ids) AS additional
       FROM pragma_storage_info('${name}') WHERE persistent AND block_id >= 0`,
    );
    for (const row of rows) {
      segments.push({
        name: `${name}.${row.column_name}`,
        compression: row.compression,
        block: Number(row.block_id),
        offset: Number(row.block_offset),
        additional: Number(row.additional ?? 0) * BLOCK_BYTES,
      });
    }
  }
  return addUp(segments);
}

function addUp(segments) {
  segments.sort((a, b) => a.block - b.block || a.offset - b.offset);
  const columns = new Map();
  for (const [i, segment] of segments.entries()) {
    const next = segments[i + 1];
    // The last segment of a shared block: the rest of the block is not its own, so it counts like the one before.
    const isShared = segment.offset > 0;
    const before = segments[i - 1];
    const end =
      next?.block === segment.block
        ? next.offset
        : isShared
          ? Math.min(BLOCK_BYTES, 2 * segment.offset - before.offset)
          : BLOCK_BYTES;
    const column = columns.get(segment.name) ?? { bytes: 0, methods: new Map() };
    const bytes = end - segment.offset + segment.additional;
    column.bytes += bytes;
    column.methods.set(segment.compression, (column.methods.get(segment.compression) ?? 0) + bytes);
    columns.set(segment.name, column);
  }
  return [...columns]
    .map(([name, { bytes, methods }]) => ({
      name,
      bytes,
      compression: [...methods].sort((a, b) => b[1] - a[1])[0][0],
    }))
    .sort((a, b) => b.bytes - a.bytes);
}
