package io.github.distlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in the memory of this JVM.
 *
 * @param enabled Whether the memory of this JVM is enabled as an additional store. Not
 * required if distlock.backend or distlock.composite names it.
 */
@ConfigurationProperties("distlock.local")
public record LocalStoreProperties(@DefaultValue("false") boolean enabled) {
}
