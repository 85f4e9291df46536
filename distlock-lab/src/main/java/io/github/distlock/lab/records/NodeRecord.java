package io.github.distlock.lab.records;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A line of the records of an inventory node. Which parts are present depends on the
 * type.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeRecord(long n, String type, long at, @JsonProperty("stay") @Nullable Long sale, @Nullable Long order,
		@Nullable String sku, @Nullable String strategy, @Nullable String resource, @Nullable Long arrived,
		@Nullable Long value, @Nullable Long token, @Nullable Long serial, @Nullable String fault, @Nullable Long until,
		@Nullable Long lease, @Nullable Integer waiting) {
}
