export type SortValue = string | number | null | undefined

const compareText = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare

/** The rows by a value, in a new array; rows without a value are last either way, equal ones keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => SortValue,
  isDownward = false,
): Row[] {
  const sign = isDownward ? -1 : 1
  return rows
    .map((row) => ({ row, value: keyOf(row) ?? null }))
    .sort((one, other) => {
      if (one.value === null || other.value === null)
        return Number(one.value === null) - Number(other.value === null)
      return sign * compare(one.value, other.value)
    })
    .map(({ row }) => row)
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return compareText(String(one), String(other))
}
