package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * Inherits its locked method.
 */
@Component
class Picking extends LockedTypes.MorePicking {

}
