package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * Inherits its annotation.
 */
@Component
class Counting extends LockedTypes.LockedClass {

}
