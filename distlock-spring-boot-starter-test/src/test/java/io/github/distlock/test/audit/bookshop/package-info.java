/**
 * An application of a usual shape: services, repositories, entities, migrations, events.
 */
@NullMarked
package io.github.distlock.test.audit.bookshop;

import org.jspecify.annotations.NullMarked;
