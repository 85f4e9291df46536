package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * Component that inherits its annotation.
 */
@Component
class Counting extends LockedTypes.LockedClass {

}
