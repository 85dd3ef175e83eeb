/**
 * A lane's position: the next offset to read, with the beginning of the topic's id where brokers have ids. A
 * topic that was deleted and created again has another one, and its offsets begin anew.
 */
export interface Position {
  offset: number
  topicId: string
}

export const formatPosition = ({ offset, topicId }: Position): string =>
  topicId === '' ? String(offset) : `${offset}@${topicId}`

export function parsePosition(text: string): Position {
  const [offset = '', topicId = ''] = text.split('@')
  return { offset: Number(offset), topicId }
}

export const shortTopicId = (id: string): string => id.replaceAll('-', '').slice(0, 8)
