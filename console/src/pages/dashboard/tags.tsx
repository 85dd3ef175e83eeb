import { Chip } from '../../kit/chip.tsx'

export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span class="tags">
    {tags.map((tag) => (
      <Chip key={tag} icon="tag">
        {tag}
      </Chip>
    ))}
  </span>
)
