package io.github.distlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in the memory of this JVM.
 *
 * @param enabled Whether locks can be kept in the memory of this JVM in addition to the
 * default backend. The backend that distlock.backend names does not need this switch.
 */
@ConfigurationProperties("distlock.local")
public record LocalStoreProperties(@DefaultValue("false") boolean enabled) {
}
