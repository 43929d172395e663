import { addCopyButtons } from './copy-buttons.ts';
import { followHeadings } from './current-heading.ts';
import { addMenu } from './menu.ts';
import { showOwnAddress } from './own-address.ts';
import { addSearch } from './search-button.ts';
import { addThemeSwitch } from './theme-switch.ts';

addThemeSwitch();
addMenu();
addSearch();
showOwnAddress(document);
addCopyButtons(document);
followHeadings();
