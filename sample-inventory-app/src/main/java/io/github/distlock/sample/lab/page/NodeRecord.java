package io.github.distlock.sample.lab.page;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/**
 * A line of the records of an inventory node. Which parts are present depends on the
 * type.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record NodeRecord(long n, String type, long at, @Nullable Long stay, @Nullable Long order, @Nullable String sku,
		@Nullable String strategy, @Nullable String resource, @Nullable Long arrived, @Nullable Long value,
		@Nullable Long token, @Nullable Long serial, @Nullable String fault, @Nullable Long until, @Nullable Long lease,
		@Nullable Integer waiting) {
}
