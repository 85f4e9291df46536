package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * Component that inherits its locked method.
 */
@Component
class Picking extends LockedTypes.MorePicking {

}
