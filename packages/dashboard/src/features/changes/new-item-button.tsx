import { Icon } from '../../ui/page/icon.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';

interface NewItemButtonProps {
  onClick: () => void;
  children: string;
}

/** Opens the form for a new item of the property. */
export function NewItemButton({ onClick, children }: NewItemButtonProps) {
  const { missingRole } = useProperty();
  return (
    <ReasonButton leftSection={<Icon name="plus" />} reason={missingRole('editor')} onClick={onClick}>
      {children}
    </ReasonButton>
  );
}
